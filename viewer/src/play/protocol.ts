// What the page and the worker that computes say to each other.

export interface Changes {
  scheme?: string;
  set: string[];
}

export interface Question {
  kind: "schema" | "describe" | "run" | "converge";
  name: string;
  text: string;
  runs: Changes[];
  tables?: boolean;
}

export interface PlayNumber {
  key: string;
  label: string;
  value: number;
  low: number;
  high: number;
  log: boolean;
  whole: boolean;
  unit: string;
  meaning: string;
  shown: boolean;
}

export interface Description {
  name: string;
  scheme: string;
  schemes: { name: string; parameters: string[] }[];
  numbers: PlayNumber[];
}

export interface Refusal {
  code: string;
  title: string;
  field: string;
  message: string;
  help: string;
  line: number | null;
  column: number | null;
  length: number | null;
  /** As a terminal shows it. */
  text: string;
}

export interface RunTold {
  state_hash: string;
  steps: number;
  t_end: number;
  wall_s: number;
  scheme: string;
  verdicts: Record<string, { status: string; worst: number }>;
  failure: string | null;
  interrupted: boolean;
  tables?: unknown;
}

export interface RunAnswer {
  runs: RunTold[];
  title: string;
  header: string;
  main: string;
  data: string;
  columns: string;
  in_space: boolean;
}

export interface Study {
  title: string;
  subtitle: string;
  main: string;
  csv: string;
}

export type Answer<T> = T | { error: Refusal };

/** To the worker: the engine once, deflated in base64 or compiled before, and the files; then questions. */
export type ToWorker = { engine: string | WebAssembly.Module; files: Record<string, string> } | { id: number; question: Question };

/** From the worker. */
export type FromWorker = { module: WebAssembly.Module } | { id: number; share: number } | { id: number; answer: unknown; memory: number } | { id: number; crash: string };
