// Written by `memtui hooks install opencode`; `memtui hooks uninstall opencode` removes it.
// It hands a session's start, prompts, compaction and turns to `memtui hook`, and never fails.
import { spawnSync } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const COMMAND = ["memtui"]
const DATA = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode")

export const Memtui = async ({ directory }) => {
  const hook = (name, id, fields, seconds) => {
    try {
      const input = { session_id: id, cwd: directory, transcript_path: join(DATA, `opencode.db#${id}`), ...fields }
      const options = { input: JSON.stringify(input), encoding: "utf8", timeout: seconds * 1000, stdio: ["pipe", "pipe", "ignore"] }
      return (spawnSync(COMMAND[0], [...COMMAND.slice(1), "hook", name, "--channel", "opencode"], options).stdout ?? "").trim()
    } catch {
      return ""
    }
  }
  const started = new Map()
  const children = new Set()
  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.parentID) children.add(info.id)
      const id = event.properties?.sessionID
      if (event.type === "session.compacted") started.delete(id)
      if (event.type === "session.idle" && started.has(id)) hook("stop", id, {}, 20)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (children.has(sessionID)) return
      if (!started.has(sessionID)) started.set(sessionID, hook("session-start", sessionID, { source: "startup" }, 10))
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      const text = hook("user-prompt", sessionID, { prompt }, 5)
      if (text) parts.push({ id: "prt_memtui" + Date.now(), sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const text = started.get(sessionID)
      if (text) system.push(text)
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if (started.has(sessionID)) hook("pre-compact", sessionID, {}, 20)
    },
  }
}
