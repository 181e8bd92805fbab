/** A folder with the home folder as `~`. */
export const homely = (path: string, home: string): string =>
  home !== "" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
