
/**
 * The simulator behind a page.
 */
export class Player {
__destroy_into_raw() {
                const ptr = this.__wbg_ptr;
this.__wbg_ptr = 0;
PlayerFinalization.unregister(this);
return ptr;
            }
            free() {
                const ptr = this.__destroy_into_raw();
                wasm.__wbg_player_free(ptr, 0);
            }
            /**
 * A file that a scenario may name.
 * @param {string} name
 * @param {Uint8Array | number[]} bytes
 */
addFile(name, bytes) {
let ptr0, len0, ptr1, len1;
try {
ptr0 = passStringToWasm0(name, wasm.__wbindgen_export3, wasm.__wbindgen_export4);
len0 = WASM_VECTOR_LEN;
ptr1 = passArray8ToWasm0(bytes, wasm.__wbindgen_export3);
len1 = WASM_VECTOR_LEN;
} catch (e) {
if (ptr1) { wasm.__wbindgen_export5(ptr1, len1 * 1, 1); }
if (ptr0) { wasm.__wbindgen_export5(ptr0, len0 * 1, 1); }
throw e;
}
wasm.player_addFile(this.__wbg_ptr, ptr0, len0, ptr1, len1);
}
/**
 * The answer to a question, both JSON; `tell` hears how much is done, from 0 to 1.
 * @param {string} question
 * @param {Function} tell
 * @returns {string}
 */
answer(question, tell) {
let deferred2_0;
let deferred2_1;
try {
const retptr = wasm.__wbindgen_add_to_stack_pointer(-16) >>> 0;
const ptr0 = passStringToWasm0(question, wasm.__wbindgen_export3, wasm.__wbindgen_export4);
const len0 = WASM_VECTOR_LEN;
wasm.player_answer(retptr, this.__wbg_ptr, ptr0, len0, tell);
var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
deferred2_0 = r0;
deferred2_1 = r1;
return getStringFromWasm0(r0, r1);
} finally {
wasm.__wbindgen_add_to_stack_pointer(16);
wasm.__wbindgen_export5(deferred2_0, deferred2_1, 1);
}
}
/**
 * Without files.
 */
constructor() {
const ret = wasm.player_new();
this.__wbg_ptr = ret;
PlayerFinalization.register(this, this.__wbg_ptr, this);
return this;
}
}
if (Symbol.dispose) Player.prototype[Symbol.dispose] = Player.prototype.free;
function __wbg_get_imports() {
            const import0 = {
            __proto__: null,
        __wbg___wbindgen_is_undefined_be5b34249ff1fc15: function(arg0) {
const ret = arg0 === undefined;
return ret;
},
__wbg___wbindgen_throw_4c88d8bf264fd984: function(arg0, arg1) {
throw new Error(getStringFromWasm0(arg0, arg1));
},
__wbg_call_a410eb4b59ed5965: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.call(arg1, arg2);
return ret;
}, arguments); },
__wbg_now_cace042f68c814d8: function(arg0) {
const ret = arg0.now();
return ret;
},
__wbg_performance_9e331c7bce8c98d3: function(arg0) {
const ret = arg0.performance;
return ret;
},
__wbg_static_accessor_GLOBAL_THIS_003ee833af9699fc: function() {
const ret = typeof globalThis === 'undefined' ? undefined : globalThis;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_static_accessor_GLOBAL_e4293fb22cbe77da: function() {
const ret = typeof global === 'undefined' ? undefined : global;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_static_accessor_SELF_53bb20457401453d: function() {
const ret = typeof self === 'undefined' ? undefined : self;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_static_accessor_WINDOW_b5e0810bfecb7feb: function() {
const ret = typeof window === 'undefined' ? undefined : window;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbindgen_generic_0000000000000001: function(arg0) {
// Cast intrinsic for `F64 -> Externref`.
const ret = arg0;
return ret;
},
__wbindgen_init_externref_table: function() {
const table = wasm.__wbindgen_externrefs;
table.set(0, undefined);
table.set(1024, undefined);
table.set(1025, null);
table.set(1026, true);
table.set(1027, false);
},
};
        return {
            __proto__: null,
            "./percussion_web_bg.js": import0,
        };
}

const PlayerFinalization = (typeof FinalizationRegistry === 'undefined')
? { register: () => {}, unregister: () => {} }
: new FinalizationRegistry(ptr => wasm.__wbg_player_free(ptr, 1));

function addToExternrefTable0(obj) {
                    const idx = wasm.__wbindgen_export2();
                    wasm.__wbindgen_externrefs.set(idx, obj);
                    return idx;
                }

let cachedDataViewMemory0 = null;
                function getDataViewMemory0() {
                    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)) {
                        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
                    }
                    return cachedDataViewMemory0;
                }

function getStringFromWasm0(ptr, len) {
                    ptr = ptr >>> 0;
                    return decodeText(getUint8ArrayMemory0().subarray(ptr, ptr + len));
                }

let cachedUint8ArrayMemory0 = null;
                function getUint8ArrayMemory0() {
                    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
                        cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
                    }
                    return cachedUint8ArrayMemory0;
                }

function handleError(f, args) {
                            try {
                                return f.apply(this, args);
                            } catch (e) {
                                const idx = addToExternrefTable0(e);
                                wasm.__wbindgen_export(idx);
                            }
                        }

function isLikeNone(x) {
                return x === undefined || x === null;
            }

function passArray8ToWasm0(arg, malloc) {
                    const ptr = malloc(arg.length * 1, 1) >>> 0;
                    getUint8ArrayMemory0().set(arg, ptr / 1);
                    WASM_VECTOR_LEN = arg.length;
                    return ptr;
                }

function passStringToWasm0(arg, malloc, realloc) {
                    if (realloc === undefined) {
                    const buf = cachedTextEncoder.encode(arg);
                    const ptr = malloc(buf.length, 1) >>> 0;
                    getUint8ArrayMemory0().subarray(ptr, ptr + buf.length).set(buf);
                    WASM_VECTOR_LEN = buf.length;
                    return ptr;
                }

                let len = arg.length;
                let ptr = malloc(len, 1) >>> 0;

                const mem = getUint8ArrayMemory0();

                let offset = 0;

                for (; offset < len; offset++) {
                    const code = arg.charCodeAt(offset);
                    if (code > 0x7F) break;
                    mem[ptr + offset] = code;
                }
            if (offset !== len) {
                        if (offset !== 0) {
                            arg = arg.slice(offset);
                        }
                        ptr = realloc(ptr, len, len = offset + arg.length * 3, 1) >>> 0;
                        const view = getUint8ArrayMemory0().subarray(ptr + offset, ptr + len);
                        const ret = cachedTextEncoder.encodeInto(arg, view);
                        
                        offset += ret.written;
                        ptr = realloc(ptr, len, offset, 1) >>> 0;
                    }

                    WASM_VECTOR_LEN = offset;
                    return ptr;
                }

let cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
cachedTextDecoder.decode();
                        const MAX_SAFARI_DECODE_BYTES = 2146435072;
                        let numBytesDecoded = 0;
                        function decodeText(bytes) {
                            numBytesDecoded += bytes.length;
                            if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES) {
                                cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
                                cachedTextDecoder.decode();
                                numBytesDecoded = bytes.length;
                            }
                            return cachedTextDecoder.decode(bytes);
                        }

const cachedTextEncoder = new TextEncoder();

                        if (!('encodeInto' in cachedTextEncoder)) {
                            cachedTextEncoder.encodeInto = function (arg, view) {
                const buf = cachedTextEncoder.encode(arg);
                view.set(buf);
                return {
                    read: arg.length,
                    written: buf.length
                };
            };
                        }

let WASM_VECTOR_LEN = 0;

let wasmModule, wasmInstance, wasm;
            function __wbg_finalize_init(instance, module) {
                wasmInstance = instance;
                wasm = instance.exports;
                wasmModule = module;
                cachedDataViewMemory0 = null;
cachedUint8ArrayMemory0 = null;
wasm.__wbindgen_start();
return wasm;
            }

            async function __wbg_load(module, imports) {
                if (typeof Response === 'function' && module instanceof Response) {
                    if (!module.ok) {
                        throw new Error(`failed to fetch Wasm: ${module.status} ${module.statusText} fetching '${module.url}'`);
                    }

                    if (typeof WebAssembly.instantiateStreaming === 'function') {
                        try {
                            return await WebAssembly.instantiateStreaming(module, imports);
                        } catch (e) {
                            const validResponse = expectedResponseType(module.type);

                            if (validResponse && module.headers.get('Content-Type') !== 'application/wasm') {
                                console.warn("`WebAssembly.instantiateStreaming` failed because your server does not serve Wasm with `application/wasm` MIME type. Falling back to `WebAssembly.instantiate` which is slower. Original error:\n", e);

                            } else { throw e; }
                        }
                    }

                    const bytes = await module.arrayBuffer();
                    return await WebAssembly.instantiate(bytes, imports);
                } else {
                    const instance = await WebAssembly.instantiate(module, imports);

                    if (instance instanceof WebAssembly.Instance) {
                        return { instance, module };
                    } else {
                        return instance;
                    }
                }

                function expectedResponseType(type) {
                    switch (type) {
                        case 'basic': case 'cors': case 'default': return true;
                    }
                    return false;
                }
            }

            function initSync(module) {
                if (wasm !== undefined) return wasm;

                
                if (module !== undefined) {
                    if (Object.getPrototypeOf(module) === Object.prototype) {
                        ({module} = module)
                    } else {
                        console.warn('using deprecated parameters for `initSync()`; pass a single object instead')
                    }
                }

                const imports = __wbg_get_imports();
                if (!(module instanceof WebAssembly.Module)) {
                    module = new WebAssembly.Module(module);
                }
                const instance = new WebAssembly.Instance(module, imports);
                return __wbg_finalize_init(instance, module);
            }

            let __wbg_init_promise;
            async function __wbg_init(module_or_path) {
                if (wasm !== undefined) return wasm;
                if (__wbg_init_promise === undefined) {
                    __wbg_init_promise = __wbg_init_once(module_or_path);
                    __wbg_init_promise.catch(() => { __wbg_init_promise = undefined; });
                }
                return __wbg_init_promise;
            }

            async function __wbg_init_once(module_or_path) {
                
                if (module_or_path !== undefined) {
                    if (Object.getPrototypeOf(module_or_path) === Object.prototype) {
                        ({module_or_path} = module_or_path)
                    } else {
                        console.warn('using deprecated parameters for the initialization function; pass a single object instead')
                    }
                }

                
                const imports = __wbg_get_imports();

                if (typeof module_or_path === 'string' || (typeof Request === 'function' && module_or_path instanceof Request) || (typeof URL === 'function' && module_or_path instanceof URL)) {
                    module_or_path = fetch(module_or_path);
                }

                const { instance, module } = await __wbg_load(await module_or_path, imports);

                return __wbg_finalize_init(instance, module);
            }
            
export { initSync, __wbg_init as default };