/** The other stores, in exact versions. None of them is a dependency of the project. */
export const peers = [
  {
    name: "langgraph",
    title: "LangGraph SqliteSaver 1.0.4",
    packages: {
      "@langchain/langgraph-checkpoint-sqlite": "1.0.4",
      "@langchain/langgraph-checkpoint": "1.2.2",
      "@langchain/core": "1.4.0"
    },
    open: async (load, home) => (await import("./langgraph.mjs")).open(load, home)
  },
  {
    name: "mastra",
    title: "Mastra libSQL storage 1.23.1",
    packages: { "@mastra/libsql": "1.23.1", "@mastra/core": "1.68.0" },
    open: async (load, home) => (await import("./mastra.mjs")).open(load, home)
  },
  {
    name: "effect-workflow",
    title: "@effect/workflow 0.19.1 on SQLite",
    packages: {
      effect: "3.22.4",
      "@effect/workflow": "0.19.1",
      "@effect/cluster": "0.60.2",
      "@effect/rpc": "0.76.2",
      "@effect/platform": "0.97.2",
      "@effect/experimental": "0.61.1",
      "@effect/sql": "0.52.1",
      "@effect/sql-sqlite-node": "0.53.0"
    },
    open: async (load, home) => (await import("./effectWorkflow.mjs")).open(load, home)
  }
]
