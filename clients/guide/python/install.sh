python3 -m venv .venv
.venv/bin/pip install ariadne-codegen==0.19.0 httpx pydantic websockets
