/**
 * Whether a database can live on a file system. SQLite needs byte-range locks and shared memory that really hold between
 * processes; network and pass-through file systems promise them and break, which damages the file. Pure.
 */

/** File systems by the magic number that Linux's `statfs` gives. */
const networkByMagic: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "CIFS",
  4266872130: "SMB2",
  16914839: "9p",
  1397113167: "AFS",
  1799439955: "AFS",
  12805120: "Ceph",
  198183888: "Lustre",
  1196443219: "GPFS",
  1952539503: "OCFS2",
  18225520: "GFS2",
  1937076805: "Coda",
  22092: "NCP",
  2020557398: "a virtual machine's shared folder", // vboxsf
  3133910204: "a virtual machine's shared folder" // vmhgfs
}

/** Everything that a program in user space serves, and a virtual machine's virtiofs. */
const fuseMagic = 0x65735546

/**
 * FUSE covers `sshfs` and cloud drives as well as local disks. Only two of its kinds are a local disk whose locks hold:
 * the root of a rootless container, and a block device with a driver in user space.
 */
const localFuse: ReadonlySet<string> = new Set(["fuse.fuse-overlayfs", "fuseblk"])

/**
 * The name of the file system if no database may be put on it, else `null`.
 *
 * `magic` is the number of `statfs` on Linux; `mountType` is the type that the mount table gives for the same folder
 * (`null`: unknown), needed only where the magic number says FUSE.
 */
export const unfitFileSystem = (magic: number, mountType: string | null): string | null => {
  const unsigned = magic >>> 0
  if (unsigned === fuseMagic) {
    return mountType !== null && localFuse.has(mountType) ? null : (mountType ?? "FUSE")
  }
  return networkByMagic[unsigned] ?? null
}

/** Whether `unfitFileSystem` needs the mount's type to decide. */
export const needsMountType = (magic: number): boolean => magic >>> 0 === fuseMagic

/** In `/proc/self/mountinfo`: a space in a path is written `\040`. */
const unescapeMount = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/**
 * The type of the mount that a real path is on, from the text of `/proc/self/mountinfo` (Linux; see proc_pid_mountinfo(5)):
 * the longest mount point that contains the path, and of several on one point the last, which covers the others.
 */
export const mountTypeOf = (mountinfo: string, path: string): string | null => {
  let best: { readonly point: string; readonly type: string } | null = null
  for (const line of mountinfo.split("\n")) {
    const [before, after] = line.split(" - ")
    const point = unescapeMount(before?.split(" ")[4] ?? "")
    const type = after?.split(" ")[0]
    if (point === "" || type === undefined) continue
    const contains = path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`)
    if (contains && (best === null || point.length >= best.point.length)) best = { point, type }
  }
  return best?.type ?? null
}
