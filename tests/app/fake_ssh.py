"""Stands for `ssh` where there is no sshd: runs the command here, forwards sockets as ssh would."""

import asyncio
import os
import sys


async def pipe(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


def serve(there):
    async def connected(reader, writer):
        try:
            if there.startswith("/"):
                far_reader, far_writer = await asyncio.open_unix_connection(there)
            else:
                host, port = there.rsplit(":", 1)
                far_reader, far_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.close()
            return
        await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))

    return connected


async def run(arguments):
    forwards, rest = [], []
    items = iter(arguments)
    for item in items:
        if item == "-o":
            next(items)
        elif item == "-L":
            forwards.append(next(items))
        elif item != "--":
            rest.append(item)
    host, command = rest
    if host == "unreachable":
        sys.stderr.write("ssh: Could not resolve hostname unreachable\n")
        return 255
    servers = []
    for forward in forwards:
        here, there = forward.split(":", 1)
        servers.append(await asyncio.start_unix_server(serve(there), here))
    process = await asyncio.create_subprocess_shell(command)
    return await process.wait()


def main():
    status = asyncio.run(run(sys.argv[1:]))
    sys.stdout.flush()
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
