"""llama.cpp's server over a model file, in a process of its own: python serve.py MODEL THREADS CONTEXT TEMPLATE|-."""

import sys
from pathlib import Path

import xllamacpp

model, threads, context, template = sys.argv[1:5]
params = xllamacpp.CommonParams()
params.model.path = model
params.n_ctx = int(context)
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
params.cpuparams.poll = params.cpuparams_batch.poll = 0  # a busy plant PC has other things to do
params.use_jinja = True
params.ui = False
params.model_alias = {"local"}
if template != "-":
    params.chat_template = Path(template).read_text(encoding="utf-8")
server = xllamacpp.Server(params)
print("READY", server.listening_address, flush=True)
sys.stdin.read()
