// The worker: holds the simulator and answers one question after the other. It is ended, not asked, when a run is cancelled.

import { initSync, Player } from "percussion-engine";
import { fromBase64 } from "./bytes";
import type { FromWorker, ToWorker } from "./protocol";

let memory: WebAssembly.Memory | undefined;
const send = (message: FromWorker) => postMessage(message);

/** The simulator out of its text, compiled on other threads while the rest of it is still being inflated. */
function compile(text: string): Promise<WebAssembly.Module> {
  const bytes = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
}

async function begin(engine: string | WebAssembly.Module, files: Record<string, string>): Promise<Player> {
  const module = typeof engine === "string" ? await compile(engine) : engine;
  memory = initSync({ module }).memory;
  const player = new Player();
  for (const [name, text] of Object.entries(files)) player.addFile(name, fromBase64(text));
  if (typeof engine === "string") send({ module });
  return player;
}

let player: Promise<Player> | undefined;
onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if ("engine" in data) {
    player = begin(data.engine, data.files);
    return;
  }
  const { id, question } = data;
  try {
    const answer: unknown = JSON.parse((await player!).answer(JSON.stringify(question), (share: number) => send({ id, share })));
    send({ id, answer, memory: memory!.buffer.byteLength });
  } catch (error) {
    // out of memory, or a defect: the simulator is not used again
    send({ id, crash: String(error) });
  }
};
