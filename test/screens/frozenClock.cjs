/** Preloaded into the program while its pictures are taken: for it, time stands still. */
const at = Date.parse(process.env.ALLUKA_NOW)
Date.now = () => at
