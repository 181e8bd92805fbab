/** The runs and tasks that the pictures show: an evening's work, the same every time. */
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The moment at which all pictures are taken. */
export const now = "2026-11-30T22:48:03.000Z"

const reason = (code, message, more = {}) => ({ code, message, ...more })

/** In the order of their creation; `folder` is one below `~/src`. */
export const runs = [
  {
    id: "ckpt_9v2c6h0p4m1x",
    title: "Nightly dependency bump",
    state: "interrupted",
    provider: "gemini",
    model: "gemini-2.5-pro",
    session: "6b2f0c1e-8a34-4f57-9d10-2f6c7a1b3e90",
    agent: "nightly",
    turn: 5,
    agoMs: 2 * day,
    ranMs: 31 * minute,
    reason: reason("host_restarted", "the machine was restarted")
  },
  {
    id: "ckpt_1wb8r5yn6d3k",
    title: "Release notes 2.3",
    state: "completed",
    provider: "gemini",
    model: "gemini-2.5-pro",
    turn: 9,
    agoMs: 26 * hour,
    ranMs: 6 * minute
  },
  {
    id: "ckpt_5m0xq7te2c9h",
    title: "Spike: GraphQL gateway",
    state: "cancelled",
    provider: "claude",
    model: "sonnet-4.5",
    turn: 22,
    agoMs: 5 * hour,
    ranMs: 44 * minute,
    reason: reason("cancelled_by_user", "cancelled by a person")
  },
  {
    id: "ckpt_8gd2v4jk7n5s",
    title: "Rename config keys",
    state: "completed",
    provider: "codex",
    model: "gpt-5.4",
    turn: 11,
    agoMs: 3 * hour,
    ranMs: 17 * minute
  },
  {
    id: "ckpt_3tz6p9w1fa8r",
    title: "Add CSV export",
    state: "completed",
    provider: "claude",
    model: "opus-4.5",
    turn: 18,
    agoMs: 70 * minute,
    ranMs: 52 * minute
  },
  {
    id: "ckpt_4fq8n1zd6y2v",
    title: "Fix flaky checkout test",
    state: "failed",
    provider: "codex",
    model: "gpt-5.4",
    thinking: "high",
    agent: "backend",
    turn: 9,
    agoMs: 22 * minute,
    ranMs: 14 * minute,
    reason: reason("provider_error", "stream disconnected before completion"),
    said: [{ text: "The retry helper swallows the first timeout." }]
  },
  {
    id: "ckpt_7k3m9x2qr4t8",
    title: "Migrate orders to v2 API",
    state: "interrupted",
    provider: "claude",
    model: "sonnet-4.5",
    thinking: "high",
    agent: "backend",
    session: "9f2c41d0-5e6b-4c3a-8b7d-1a2b3c4d5e6f",
    turn: 14,
    tool: "Edit",
    agoMs: 4 * minute,
    ranMs: 12 * minute + 55_000,
    reason: reason("owner_lost", "the process that owned this run ended unexpectedly"),
    said: [
      { text: "Now updating the mapper to return OrderV2." },
      { text: "3 call sites left; editing src/orders.ts" },
      { text: "Edit src/orders.ts", tool: "Edit" }
    ]
  },
  {
    id: "ckpt_2b7wt5ejx0c6",
    title: "Rewrite pricing docs",
    folder: "site",
    state: "running",
    provider: "claude",
    model: "sonnet-4.5",
    agent: "docs",
    session: "c1d2e3f4-0a1b-4c2d-9e3f-4a5b6c7d8e9f",
    turn: 6,
    agoMs: 21_000,
    ranMs: minute,
    said: [{ text: "writing docs/pricing.md" }]
  },
  {
    id: "ckpt_6hn4y8rk3s1p",
    title: "Triage inbox automation",
    folder: "inbox",
    state: "running",
    provider: "codex",
    model: "gpt-5.4",
    agent: "inbox",
    session: "0199d2f4-7c1a-7e02-b3a4-5c6d7e8f9a0b",
    turn: 2,
    tool: "browser.click",
    agoMs: 9000,
    ranMs: 40_000,
    said: [{ text: "Opening the first unread thread." }]
  }
]

export const tasks = [
  ["Move the order mapper to v2", ["--phases", "3", "--gate", "npm test"]],
  ["Delete the v1 client once nothing calls it", ["--gate", "npm test"]],
  ["Write the upgrade guide", ["--phases", "2", "--no-gate"]],
  ["Announce the change in the newsletter", []]
]
