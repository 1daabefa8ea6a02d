"""A daemon reduced to its process life: sockets, readiness, watchdog, drain. What it receives it writes to a file."""

import os
import signal
from pathlib import Path

import anyio
import zmq
import zmq.asyncio

from memoryd.notify import feed_watchdog, inherited_sockets, notify, stopping
from memoryd_client.messages import Answer, Pong, decode_envelope, decode_update, encode
from memoryd_client.paths import Paths, address


async def serve(paths: Paths) -> None:
    context = zmq.asyncio.Context()
    inherited = inherited_sockets()
    pull, router = context.socket(zmq.PULL), context.socket(zmq.ROUTER)
    for name, listener, path in (("push", pull, paths.push_socket), ("rpc", router, paths.rpc_socket)):
        if name in inherited:
            listener.setsockopt(zmq.USE_FD, inherited[name])
        listener.bind(address(path))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(feed_watchdog)
        tasks.start_soon(note, pull, paths)
        tasks.start_soon(answer, router)
        with anyio.open_signal_receiver(signal.SIGTERM) as signals:
            notify("READY=1\nSTATUS=serving")
            async for _ in signals:
                break
        stopping(1)
        (paths.home / "drained").write_text("yes", encoding="utf-8")
        tasks.cancel_scope.cancel()
    context.destroy(linger=0)


async def note(pull: zmq.asyncio.Socket, paths: Paths) -> None:
    while True:
        update = decode_update(await pull.recv())
        with (paths.home / "received").open("a", encoding="utf-8") as log:
            log.write(update.messages[0].content + "\n")


async def answer(router: zmq.asyncio.Socket) -> None:
    while True:
        who, request = await router.recv_multipart()
        pong = Pong(pid=os.getpid(), version="0", ready=True)
        await router.send_multipart([who, encode(Answer(id=decode_envelope(request).id, reply=pong))])


if __name__ == "__main__":
    here = Paths.from_environment()
    Path(here.home).mkdir(parents=True, exist_ok=True)
    anyio.run(serve, here)
