declare module "percussion-engine" {
  export function initSync(from: { module: WebAssembly.Module }): { memory: WebAssembly.Memory };
  export class Player {
    addFile(name: string, bytes: Uint8Array): void;
    answer(question: string, tell: (share: number) => void): string;
  }
}
