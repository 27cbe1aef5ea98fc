// Formats the Lua files below a folder as its stylua.toml says, or with --check names those that are not formatted.
//
//     node format_lua.mjs [--check] FOLDER
//
// StyLua comes as WebAssembly from the same registry as everything else here; its own program would have to be compiled.

import * as fs from "node:fs";
import * as path from "node:path";
import { Config, formatCode, IndentType, OutputVerification, QuoteStyle } from "@johnnymorganz/stylua";

const KINDS = { indent_type: IndentType, quote_style: QuoteStyle };

/** A new one for each file: formatting consumes it. */
function configuration(folder) {
  const config = Config.new();
  for (const line of fs.readFileSync(path.join(folder, "stylua.toml"), "utf8").trim().split("\n")) {
    const [name, text] = line.split(/\s*=\s*/);
    const value = JSON.parse(text);
    if (!(name in config)) throw new Error(`stylua.toml: no option ${name}`);
    config[name] = name in KINDS ? KINDS[name][value] : value;
  }
  return config;
}

const folder = process.argv.at(-1);
const check = process.argv.includes("--check");
const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".lua"));
if (files.length === 0) throw new Error(`no Lua files below ${folder}`);
for (const name of files) {
  const file = path.join(folder, name);
  const text = fs.readFileSync(file, "utf8");
  const formatted = formatCode(text, configuration(folder), undefined, OutputVerification.Full);
  if (formatted === text) continue;
  if (!check) fs.writeFileSync(file, formatted);
  else {
    console.error(`${file}: not formatted; make format does it`);
    process.exitCode = 1;
  }
}
