/**
 * Stands in for `bindings` in the bundle: the SQLite driver's native part is where its package keeps it, and need not be
 * searched for in a dozen places at every start.
 */
module.exports = () => require("better-sqlite3/build/Release/better_sqlite3.node")
