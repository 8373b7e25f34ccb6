// Written by `memtui hooks install pi`; `memtui hooks uninstall pi` removes it.
// It hands a session's start, prompts, compaction, turns and end to `memtui hook`, and never fails.
import { spawnSync } from "node:child_process"

const COMMAND = ["memtui"]

export default function (pi: any) {
  const hook = (ctx: any, name: string, fields: object, seconds: number): string => {
    try {
      const session = ctx.sessionManager
      const input = {
        session_id: session?.getSessionId?.() ?? "",
        transcript_path: session?.getSessionFile?.() ?? "",
        cwd: ctx.cwd,
        ...fields,
      }
      const options = { input: JSON.stringify(input), encoding: "utf8" as const, timeout: seconds * 1000 }
      return (spawnSync(COMMAND[0], [...COMMAND.slice(1), "hook", name, "--channel", "pi"], options).stdout ?? "").trim()
    } catch {
      return ""
    }
  }
  let start = ""
  pi.on("session_start", (event: any, ctx: any) => {
    start = hook(ctx, "session-start", { source: event.reason ?? "startup" }, 10)
  })
  pi.on("before_agent_start", (event: any, ctx: any) => {
    const prompt = hook(ctx, "user-prompt", { prompt: event.prompt }, 5)
    const content = [start, prompt].filter(Boolean).join("\n\n")
    start = ""
    if (content) return { message: { customType: "memtui", content, display: false } }
  })
  pi.on("session_before_compact", (_event: any, ctx: any) => {
    hook(ctx, "pre-compact", {}, 20)
  })
  pi.on("session_compact", (_event: any, ctx: any) => {
    start = hook(ctx, "session-start", { source: "compact" }, 10)
  })
  pi.on("agent_end", (_event: any, ctx: any) => {
    hook(ctx, "stop", {}, 20)
  })
  pi.on("session_shutdown", (event: any, ctx: any) => {
    hook(ctx, "session-end", { reason: event.reason ?? "quit" }, 20)
  })
}
