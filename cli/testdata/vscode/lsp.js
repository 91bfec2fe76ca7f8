// A session of VS Code's own implementation of the Language Server Protocol (vscode-languageserver-protocol) with
// nereid lsp: what an editor asks while a kernel is typed. What it is told is printed. NEREID names the server, the
// first argument the file.
const lsp = require("vscode-languageserver-protocol/node");
const { spawn } = require("child_process");
const { readFileSync } = require("fs");
const { pathToFileURL } = require("url");

const note = (...text) => console.log(...text);
const file = process.argv[2], uri = pathToFileURL(require("path").resolve(file)).href;
const text = readFileSync(file, "utf8");

const server = spawn(process.env.NEREID, ["lsp"]);
server.stderr.on("data", (d) => note("stderr:", String(d)));
const c = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
let told;
c.onNotification(lsp.PublishDiagnosticsNotification.type, (p) => { if (told) told(p); });
c.listen();

/** diagnostics waits for what the server says after do. */
function diagnostics(act) {
  const list = new Promise((resolve) => { told = resolve; });
  act();
  return list.then((p) => p.diagnostics);
}

/** at is the place of the nth occurrence of some text. */
function at(what, n = 0, into = 0) {
  let i = -1;
  for (let k = 0; k <= n; k++) i = text.indexOf(what, i + 1);
  const before = text.slice(0, i + into).split("\n");
  return { line: before.length - 1, character: before[before.length - 1].length };
}

const hover = async (what, n, into) => {
  const h = await c.sendRequest(lsp.HoverRequest.type, { textDocument: { uri }, position: at(what, n, into) });
  return h ? (h.contents.value || String(h.contents)).split("\n").filter((l) => l && !l.startsWith("```"))[0] : "nothing";
};

async function main() {
  const init = await c.sendRequest(lsp.InitializeRequest.type, { processId: process.pid, rootUri: null,
    capabilities: { textDocument: { publishDiagnostics: {}, hover: {}, inlayHint: {}, codeAction: {} } } });
  note("capabilities: " + Object.keys(init.capabilities).sort().join(", "));
  await c.sendNotification(lsp.InitializedNotification.type, {});
  let found = await diagnostics(() => c.sendNotification(lsp.DidOpenTextDocumentNotification.type,
    { textDocument: { uri, languageId: "python", version: 1, text } }));
  note("opened: " + found.length + " diagnostics");
  note("hover acc: " + await hover("acc +="));
  note("hover BLOCK: " + await hover("BLOCK)", 0));
  note("hover tl.load: " + await hover("tl.load", 0, 4));
  const def = [].concat(await c.sendRequest(lsp.DefinitionRequest.type, { textDocument: { uri }, position: at("scaled(x") }));
  note("definition of scaled: line " + (def[0].range.start.line + 1));
  const done = await c.sendRequest(lsp.CompletionRequest.type, { textDocument: { uri }, position: at("tl.load", 0, 3) });
  const items = (done.items || done).map((i) => i.label);
  note("completion of tl.: " + ["load", "store", "arange", "dot"].filter((x) => items.includes(x)).join(", ") + " among " + (items.length > 100 ? "more than 100" : items.length));
  const hints = await c.sendRequest(lsp.InlayHintRequest.type, { textDocument: { uri },
    range: { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } } });
  note("shapes: " + hints.map((h) => (h.position.line + 1) + (h.label.value || h.label)).join("; "));

  const wrong = text.replace("tl.load(at)", "tl.load(at, maks=i < n)");
  found = await diagnostics(() => c.sendNotification(lsp.DidChangeTextDocumentNotification.type,
    { textDocument: { uri, version: 2 }, contentChanges: [{ text: wrong }] }));
  for (const d of found) note("diagnostic: line " + (d.range.start.line + 1) + ": " + d.message.split("\n")[0]);
  const actions = await c.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri }, range: found[0].range,
    context: { diagnostics: found } });
  for (const a of actions) note("action: " + a.title + ": " + Object.values(a.edit.changes)[0].map((e) => e.newText).join());
  found = await diagnostics(() => c.sendNotification(lsp.DidChangeTextDocumentNotification.type,
    { textDocument: { uri, version: 3 }, contentChanges: [{ text }] }));
  note("mended: " + found.length + " diagnostics");
  await c.sendRequest(lsp.ShutdownRequest.type);
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await c.sendNotification(lsp.ExitNotification.type);
  note("exit code " + await ended);
}

main().then(() => process.exit(0), (e) => { note("failed: " + e.stack); process.exit(1); });
