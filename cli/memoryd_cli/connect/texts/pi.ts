// Written by `memoryd connect pi`; `memoryd disconnect pi` takes it away.
@ASK@
const texts = (message) =>
  typeof message.content === "string"
    ? message.content
    : (message.content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")

export default (pi) => {
  const tell = (event, context, more) =>
    ask({ event, session_id: context?.sessionManager?.getSessionId?.() ?? String(process.pid), cwd: context?.cwd ?? process.cwd(), ...more })
  pi.on("before_agent_start", async (event, context) => {
    const content = await tell("prompt", context, { prompt: event.prompt ?? "" })
    if (content) return { message: { customType: "memoryd", content, display: false } }
  })
  pi.on("agent_end", async (event, context) => {
    const last = (event.messages ?? []).filter((message) => message.role === "assistant").pop()
    if (last) await tell("answer", context, { text: texts(last) })
  })
  pi.on("session_compact", async (event, context) => { await tell("compacted", context) })
}
