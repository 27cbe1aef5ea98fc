// Runs what the tests ask inside of the extension host: code in QUESTION files, its result in ANSWER files.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

exports.activate = (context) => {
  const root = process.env.SIMT_PROBE_FOLDER;
  if (root === undefined) return;
  // Each window has an extension host of its own, and a folder of its own named after what it shows.
  const opened = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "none";
  const folder = path.join(root, path.basename(opened));
  fs.mkdirSync(folder, { recursive: true });
  const timer = setInterval(() => answerAll(folder), 50);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });
};

function answerAll(folder) {
  for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".js"))) {
    const question = path.join(folder, name);
    const code = fs.readFileSync(question, "utf8");
    fs.rmSync(question);
    void answer(code).then((result) => {
      const unfinished = path.join(folder, `${name}.unfinished`);
      fs.writeFileSync(unfinished, JSON.stringify(result));
      fs.renameSync(unfinished, path.join(folder, name.replace(/\.js$/, ".json")));
    });
  }
}

async function answer(code) {
  try {
    return { value: (await new AsyncFunction("vscode", code)(vscode)) ?? null };
  } catch (error) {
    return { error: String(error?.stack ?? error) };
  }
}
