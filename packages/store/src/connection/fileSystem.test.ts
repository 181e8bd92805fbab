import { describe, expect, it } from "vitest"
import { mountTypeOf, needsMountType, unfitFileSystem } from "./fileSystem.js"

const fuse = 0x65735546

describe("file systems that hold no database", () => {
  it.each([
    ["nfs", 0x6969, "NFS"],
    ["smb", 0x517b, "SMB"],
    ["cifs", 0xff534d42, "CIFS"],
    ["cifs, as a signed number", 0xff534d42 | 0, "CIFS"],
    ["smb2", 0xfe534d42, "SMB2"],
    ["9p, a Windows drive in WSL", 0x01021997, "9p"],
    ["ceph", 0x00c36400, "Ceph"]
  ])("%s is refused", (_, magic, name) => expect(unfitFileSystem(magic, null)).toBe(name))

  it.each([
    ["ext4", 0xef53],
    ["btrfs", 0x9123683e],
    ["xfs", 0x58465342],
    ["tmpfs", 0x01021994],
    ["overlayfs", 0x794c7630],
    ["zfs", 0x2fc12fc1]
  ])("%s is fine", (_, magic) => {
    expect(unfitFileSystem(magic, null)).toBeNull()
    expect(needsMountType(magic)).toBe(false)
  })

  it("FUSE is refused, unless its mount says that it is a local disk", () => {
    expect(needsMountType(fuse)).toBe(true)
    expect(unfitFileSystem(fuse, "fuse.sshfs")).toBe("fuse.sshfs")
    expect(unfitFileSystem(fuse, "virtiofs")).toBe("virtiofs")
    expect(unfitFileSystem(fuse, null)).toBe("FUSE")
    expect(unfitFileSystem(fuse, "fuse.fuse-overlayfs")).toBeNull()
    expect(unfitFileSystem(fuse, "fuseblk")).toBeNull()
  })
})

describe("the mount of a path", () => {
  const table = [
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
    "40 22 0:35 / /home rw,relatime - nfs4 server:/home rw",
    "41 22 0:36 / /home/user rw,relatime shared:2 master:1 - fuse.sshfs user@host: rw",
    "42 22 0:37 / /mnt/a\\040b rw,relatime - 9p drvfs rw",
    "43 22 0:38 / /over rw - ext4 /dev/vdb rw",
    "44 22 0:39 / /over rw - tmpfs tmpfs rw",
    "not a line of this file"
  ].join("\n")

  it.each([
    ["/etc", "ext4"],
    ["/home/other", "nfs4"],
    ["/home/user/.alluka", "fuse.sshfs"],
    ["/home/user", "fuse.sshfs"],
    ["/home/username", "nfs4"],
    ["/mnt/a b/x", "9p"],
    ["/over/x", "tmpfs"]
  ])("%s is on %s", (path, type) => expect(mountTypeOf(table, path)).toBe(type))

  it("is unknown where the table says nothing", () => expect(mountTypeOf("", "/x")).toBeNull())
})
