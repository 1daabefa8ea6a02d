// Written by `memoryd connect opencode`; `memoryd disconnect opencode` takes it away.
@ASK@
export const Memoryd = async ({ client, directory }) => {
  const inner = new Map()
  // Sessions of subagents have a parent; nothing is told to them and nothing is taken from them.
  const isInner = async (id) => {
    if (!inner.has(id)) {
      let parent
      try { parent = (await client.session.get({ path: { id } })).data?.parentID } catch { parent = undefined }
      inner.set(id, Boolean(parent))
    }
    return inner.get(id)
  }
  const tell = (event, session, more) => ask({ event, session_id: session, cwd: directory, ...more })
  return {
    "chat.message": async (input, output) => {
      try {
        if (await isInner(input.sessionID)) return
        const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
        const text = await tell("prompt", input.sessionID, { prompt, prompt_id: output.message.id })
        if (text)
          output.parts.push({
            id: "prt_memoryd" + Date.now().toString(36), sessionID: input.sessionID, messageID: output.message.id,
            type: "text", text, synthetic: true,
          })
      } catch {}
    },
    "experimental.text.complete": async (input, output) => {
      if (!(await isInner(input.sessionID))) await tell("answer", input.sessionID, { text: output.text })
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.compacted" && !(await isInner(session))) await tell("compacted", session)
    },
  }
}
