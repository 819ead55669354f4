"""Opens the page in Firefox, by WebDriver BiDi, and presses play: firefox.py ADDRESS FOLDER"""

import asyncio
import json
import re
import subprocess
import sys

import websockets

address, folder = sys.argv[1:]


async def main():
    process = subprocess.Popen(
        ["firefox-esr", "--headless", "--profile", folder, "--remote-debugging-port", "0"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        for line in process.stderr:
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            if found:
                break
        async with websockets.connect(found[1] + "/session", max_size=None) as socket:
            count = 0

            async def send(method, **params):
                nonlocal count
                count += 1
                await socket.send(json.dumps({"id": count, "method": method, "params": params}))
                while True:
                    message = json.loads(await socket.recv())
                    if message.get("id") == count:
                        if message["type"] == "error":
                            raise RuntimeError(message["message"])
                        return message["result"]
                    if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                        raise RuntimeError(message["params"]["text"])

            await send("session.new", capabilities={})
            await send("session.subscribe", events=["log.entryAdded"])
            context = (await send("browsingContext.getTree"))["contexts"][0]["context"]
            await send("browsingContext.navigate", context=context, url=address, wait="complete")

            async def until(expression):
                result = await send(
                    "script.evaluate", target={"context": context}, awaitPromise=True,
                    expression=f"""new Promise((done, fail) => {{
                        const limit = setTimeout(() => fail(new Error("not in time")), 20000);
                        const look = () => {expression} ? (clearTimeout(limit), done(true)) : setTimeout(look, 50);
                        look();
                    }})""")
                assert result["type"] == "success", (expression, result)

            await until('document.documentElement.dataset.status === "open"')
            await until('document.querySelector("segue-now .primary").title === "Play"')
            await until('document.querySelector("segue-now .primary").click() || true')
            await until('document.querySelector("segue-now .primary").title === "Pause"')
            for view in ["queue", "library/artists", "rooms", "house"]:
                await until(f'(location.hash = "#/{view}") && document.querySelector("segue-{view.split("/")[0]} h1")')
            await until('document.querySelectorAll(".entry").length > 0')
            print("good")
    finally:
        process.kill()


asyncio.run(main())
