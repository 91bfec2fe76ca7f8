// Runs both models in ONNX Runtime for Node.js and compares them: node run.js OURS.onnx THEIRS.onnx
// node_preload.c says where the operators come from.
const ort = require('onnxruntime-node');

async function main(ours, theirs) {
  const a = await ort.InferenceSession.create(ours);
  const b = await ort.InferenceSession.create(theirs);
  for (const [batch, length] of [[1, 7], [2, 64], [3, 200]]) {
    const data = Float32Array.from({length: batch * length * 128}, (_, i) => Math.sin(i * i));
    const x = new ort.Tensor('float32', data, [batch, length, 128]);
    const got = (await a.run({x})).y, want = (await b.run({x})).y;
    let worst = 0;
    for (let i = 0; i < want.data.length; i++) worst = Math.max(worst, Math.abs(got.data[i] - want.data[i]));
    console.log(`${batch} x ${length}: ${got.type} [${got.dims}], off by ${worst.toExponential(1)} at most`);
    if (String(got.dims) !== String(want.dims) || !(worst < 1e-5)) process.exit(1);
  }
  console.log('equal, onnxruntime-node', require('onnxruntime-node/package.json').version);
}
main(...process.argv.slice(2)).catch((e) => { console.error(e); process.exit(1); });
