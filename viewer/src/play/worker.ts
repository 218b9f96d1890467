// The worker: holds the simulator and answers one question after the other. It is ended, not asked, when a run is cancelled.

import { inflateSync } from "fflate";
import { initSync, Player } from "percussion-engine";
import { fromBase64 } from "./bytes";
import type { FromWorker, ToWorker } from "./protocol";

let player: Player | undefined;
let memory: WebAssembly.Memory | undefined;
const send = (message: FromWorker) => postMessage(message);

function begin(engine: string | WebAssembly.Module, files: Record<string, string>) {
  const module = typeof engine === "string" ? new WebAssembly.Module(inflateSync(fromBase64(engine)) as Uint8Array<ArrayBuffer>) : engine;
  memory = initSync({ module }).memory;
  player = new Player();
  for (const [name, text] of Object.entries(files)) player.addFile(name, fromBase64(text));
  if (typeof engine === "string") send({ module });
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ("engine" in data) return begin(data.engine, data.files);
  const { id, question } = data;
  try {
    const answer: unknown = JSON.parse(player!.answer(JSON.stringify(question), (share: number) => send({ id, share })));
    send({ id, answer, memory: memory!.buffer.byteLength });
  } catch (error) {
    // out of memory, or a defect: the simulator is not used again
    send({ id, crash: String(error) });
  }
};
