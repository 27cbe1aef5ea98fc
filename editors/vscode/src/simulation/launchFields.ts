// The fields of "Simulate with…": how each is shown, what may be typed, and how it becomes part of the options.

import type { LaunchOptions } from "../server/protocol";

export interface Field {
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly read: (options: LaunchOptions) => string;
  /** The options with what was typed, or a sentence that says what may be typed; the empty text removes the field. */
  readonly write: (options: LaunchOptions, text: string) => LaunchOptions | string;
}

/** As the setting `simt-lsp.warpSize` allows. */
const WARP_SIZES: readonly number[] = [4, 8, 16, 32, 64];

export const FIELDS: readonly Field[] = [
  extent("grid", "Grid", "blocks along x, y and z", "64 or 8,8"),
  extent("block", "Block", "threads along x, y and z", "256 or 16,16"),
  {
    label: "Policies",
    hint: "ways of managing reconvergence",
    placeholder: "ipdom, min-pc, … or all",
    read: ({ policies }) => (policies ?? []).join(", "),
    write: (options, text) => {
      const names = text.split(/[\s,]+/).filter((name) => name !== "");
      return replaced(options, "policies", names.length === 0 ? undefined : names);
    },
  },
  {
    label: "Warp size",
    hint: "lanes of a warp",
    placeholder: "64",
    read: ({ warpSize }) => (warpSize === undefined ? "" : String(warpSize)),
    write: (options, text) => {
      if (text === "") return replaced(options, "warpSize", undefined);
      const warpSize = Number(text);
      return WARP_SIZES.includes(warpSize) ? { ...options, warpSize } : `One of ${WARP_SIZES.join(", ")}.`;
    },
  },
  whole("seed", "Seed", "of everything that is chosen at random", "0", 0),
  whole("sharedBytes", "Dynamic shared memory", "in bytes", "4096", 0),
  {
    label: "Time limit",
    hint: "in seconds, for everything",
    placeholder: "10",
    read: ({ seconds }) => (seconds === undefined ? "" : String(seconds)),
    write: (options, text) => {
      if (text === "") return replaced(options, "seconds", undefined);
      const seconds = Number(text);
      return seconds > 0 && seconds <= 3600 ? { ...options, seconds } : "A number of seconds up to 3600.";
    },
  },
  whole("maxSteps", "Step limit", "warp instructions of one run", "1000000", 1),
  {
    label: "Everything in words",
    hint: "as in the comment above a kernel; the lines above win",
    placeholder: "grid=8 block=256 n=2048 policy=all",
    read: ({ launchText }) => launchText ?? "",
    write: (options, text) => replaced(options, "launchText", text === "" ? undefined : text),
  },
];

/** An argument of the kernel, by its parameter's name. */
export function argumentField(name: string): Field {
  return {
    label: name,
    hint: "argument",
    placeholder: "2048, random(0,1), iota, zeros[4096], @file.npy",
    read: (options) => options.arguments?.[name] ?? "",
    write: (options, text) => {
      const { [name]: _, ...others } = options.arguments ?? {};
      const all = text === "" ? others : { ...others, [name]: text };
      return replaced(options, "arguments", Object.keys(all).length === 0 ? undefined : all);
    },
  };
}

function extent(name: "grid" | "block", label: string, hint: string, placeholder: string): Field {
  return {
    label,
    hint,
    placeholder,
    read: (options) => (options[name] ?? []).join(", "),
    write: (options, text) => {
      if (text === "") return replaced(options, name, undefined);
      const sizes = text.split(/\s*[,x×]\s*|\s+/).map(Number);
      const allowed = sizes.length <= 3 && sizes.every((size) => Number.isInteger(size) && size >= 1);
      return allowed ? { ...options, [name]: sizes } : "One to three whole numbers from 1, such as 256 or 16,16.";
    },
  };
}

function whole(
  name: "seed" | "sharedBytes" | "maxSteps",
  label: string,
  hint: string,
  placeholder: string,
  least: number,
): Field {
  return {
    label,
    hint,
    placeholder,
    read: (options) => (options[name] === undefined ? "" : String(options[name])),
    write: (options, text) => {
      if (text === "") return replaced(options, name, undefined);
      const value = Number(text);
      return Number.isInteger(value) && value >= least
        ? { ...options, [name]: value }
        : `A whole number from ${least}.`;
    },
  };
}

function replaced<Name extends keyof LaunchOptions>(
  options: LaunchOptions,
  name: Name,
  value: LaunchOptions[Name] | undefined,
): LaunchOptions {
  const { [name]: _, ...others } = options;
  return value === undefined ? others : { ...others, [name]: value };
}
