import { connect } from "node:net"
import { readFileSync } from "node:fs"

const RUNTIME = @RUNTIME@

// Returns what the daemon answers to an event, "" on any failure: memory must never be in the way.
function ask(event) {
  if (process.env.MEMORYD_INTERNAL) return Promise.resolve("")
  return new Promise((resolve) => {
    let wait = 0
    try { wait = Number(readFileSync(RUNTIME + "/hooks.wait", "utf8")) || 0 } catch { return resolve("") }
    const body = Buffer.from(JSON.stringify(event))
    const head = ["memoryd-hook 1", "host @HOST@", "event " + event.event]
    for (const [line, value] of [["folder", event.cwd], ["project", process.env.MEMORYD_PROJECT], ["owner", process.env.MEMORYD_OWNER]])
      if (value && !value.includes("\n")) head.push(line + " " + value)
    const parts = []
    const done = (text) => { clearTimeout(limit); socket.destroy(); resolve(text) }
    const limit = setTimeout(() => done(""), wait * 1000 + 150)
    const socket = connect(RUNTIME + "/hooks.sock")
    socket.on("error", () => done(""))
    socket.on("connect", () => socket.write(Buffer.concat([Buffer.from(head.join("\n") + "\nlength " + body.length + "\n\n"), body])))
    socket.on("data", (part) => parts.push(part))
    socket.on("close", () => {
      const answer = Buffer.concat(parts)
      const line = answer.indexOf(10)
      done(line > 0 && Number(answer.subarray(0, line)) === answer.length - line - 1 ? answer.subarray(line + 1).toString() : "")
    })
  })
}
