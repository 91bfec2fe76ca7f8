// A session of VS Code's own client of the Debug Adapter Protocol (@vscode/debugadapter-testsupport) with
// nereid debug: breakpoints, conditions, steps in both directions, frames, watched memory. What the client sees is
// printed. NEREID names the program, the first argument the file to debug.
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const path = require("path");
const { spawn } = require("child_process");
const file = path.resolve(process.argv[2]);

const note = (...text) => console.log(...text);

/** client returns a client whose adapter is not a script, as it expects, but a program with a kernel's arguments. */
function client() {
  const dc = new DebugClient(process.env.NEREID, "", "nereid");
  dc.defaultTimeout = 60000;
  dc.start = async function () {
    this._adapterProcess = spawn(process.env.NEREID, ["debug", file + ":total", "x_ptr=fp32[64]:arange",
      "y_ptr=fp32[64]", "n=64", "BLOCK=16", "--grid", "2"]);
    this._adapterProcess.stderr.on("data", (d) => note("stderr:", String(d)));
    this.connect(this._adapterProcess.stdout, this._adapterProcess.stdin);
  };
  return dc;
}

/** values are the variables of a frame, as the editor lists them. */
async function values(dc, frameId) {
  const scopes = (await dc.scopesRequest({ frameId })).body.scopes;
  const vars = (await dc.variablesRequest({ variablesReference: scopes[0].variablesReference })).body.variables;
  return vars.map((v) => v.name + "=" + v.value).join("; ");
}

async function where(dc, what) {
  const frames = (await dc.stackTraceRequest({ threadId: 1 })).body.stackFrames;
  note(what + ": " + frames.map((f) => f.name + ":" + f.line).join(" < "));
  return frames;
}

/** go sends a request and waits for the stop that follows. */
async function go(dc, request, reason) {
  const stopped = dc.waitForEvent("stopped");
  await dc[request]({ threadId: 1 });
  const e = await stopped;
  if (e.body.reason !== reason) throw new Error(request + " stopped for " + e.body.reason);
  return e;
}

async function main() {
  // As the editor does by itself: initialize, launch, breakpoints, configurationDone, and the stop at the line.
  let dc = client();
  await dc.start();
  await dc.hitBreakpoint({ program: 1, stopOnEntry: false }, { path: file, line: 7 }, undefined, { path: file, line: 7 });
  await where(dc, "breakpoint");
  await dc.disconnectRequest();

  dc = client();
  await dc.start();
  const caps = (await dc.initializeRequest()).body;
  note("capabilities: " + Object.keys(caps).filter((k) => caps[k]).sort().join(", "));
  await dc.launchRequest({ program: 1, stopOnEntry: true });
  const set = await dc.setBreakpointsRequest({ source: { path: file },
    breakpoints: [{ line: 19, condition: "k == 1" }, { line: 3 }] });
  note("breakpoints: " + JSON.stringify(set.body.breakpoints));
  await Promise.all([dc.configurationDoneRequest(), dc.waitForEvent("stopped")]);
  await where(dc, "entry");
  await go(dc, "continueRequest", "breakpoint");
  let frames = await where(dc, "condition");
  const before = await values(dc, frames[0].id);
  note("  " + before);
  await go(dc, "stepInRequest", "step");
  frames = await where(dc, "step in");
  note("  here: " + await values(dc, frames[0].id));
  note("  up: " + await values(dc, frames[1].id));
  for (const expression of ["at", "at[15]", "k * 2 + 1", "first // BLOCK"]) {
    const r = await dc.evaluateRequest({ expression, frameId: frames[1].id })
      .then((a) => a.body.result, (e) => e.message);
    note("  " + expression + " is " + r);
  }
  await go(dc, "stepOutRequest", "step");
  await where(dc, "step out");
  await go(dc, "stepBackRequest", "step");
  frames = await where(dc, "step back");
  const again = await values(dc, frames[0].id);
  note("  the same values: " + (again === before));

  const info = (await dc.dataBreakpointInfoRequest({ name: "y_ptr[17]", frameId: frames[0].id })).body;
  note("watch " + info.description + " by " + info.accessTypes.join(", "));
  await dc.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  await dc.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId, accessType: "write" }] });
  const hit = await go(dc, "continueRequest", "data breakpoint");
  await where(dc, hit.body.text);
  await dc.setDataBreakpointsRequest({ breakpoints: [] });
  const end = dc.waitForEvent("terminated");
  await dc.continueRequest({ threadId: 1 });
  await end;
  note("terminated");
  await dc.disconnectRequest();
}

main().then(() => process.exit(0), (e) => { note("failed: " + e.stack); process.exit(1); });
