// The simulator as the page sees it: one question at a time, of which the running one can be cancelled at once.

import type { Answer, FromWorker, Question, ToWorker } from "./protocol";

/** A question that was cancelled. */
export class Cancelled extends Error {}

interface Waiting {
  id: number;
  done: (answer: unknown) => void;
  fail: (error: Error) => void;
  tell: (share: number) => void;
}

export class Engine {
  private worker: Worker | undefined;
  private module: WebAssembly.Module | undefined;
  private waiting: Waiting | undefined;
  private number = 0;
  /** Bytes that the simulator held after its last answer. */
  memory = 0;
  private readonly address: string;

  constructor(
    script: string,
    private readonly text: string,
    private readonly files: Record<string, string>,
  ) {
    this.address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.begin();
  }

  get busy(): boolean {
    return this.waiting !== undefined;
  }

  ask<T>(question: Question, tell: (share: number) => void = () => {}): Promise<Answer<T>> {
    this.cancel();
    const id = ++this.number;
    return new Promise<Answer<T>>((done, fail) => {
      this.waiting = { id, done: done as (answer: unknown) => void, fail, tell };
      this.post({ id, question });
    });
  }

  /** Ends the question that runs: its worker goes, and another is begun with the compiled simulator. */
  cancel() {
    const waiting = this.waiting;
    if (!waiting) return;
    this.again();
    waiting.fail(new Cancelled("cancelled"));
  }

  private again() {
    this.waiting = undefined;
    this.worker?.terminate();
    this.begin();
  }

  private begin() {
    this.worker = new Worker(this.address);
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    this.worker.onerror = (event) => this.crash(event.message || "the worker could not be started");
    this.post({ engine: this.module ?? this.text, files: this.files });
  }

  private post(message: ToWorker) {
    this.worker!.postMessage(message);
  }

  private hear(message: FromWorker) {
    if ("module" in message) {
      this.module = message.module;
      return;
    }
    const waiting = this.waiting;
    if (!waiting || message.id !== waiting.id) return;
    if ("share" in message) return waiting.tell(message.share);
    if ("crash" in message) return this.crash(message.crash);
    this.waiting = undefined;
    this.memory = message.memory;
    waiting.done(message.answer);
  }

  private crash(reason: string) {
    const waiting = this.waiting;
    this.again();
    waiting?.fail(new Error(reason));
  }
}
