import { createHash } from 'node:crypto'
import { refusal } from '../read/limits.ts'
import type { SourceFile } from '../source-file.ts'
import { type ArchivedFile, type Manifest, readManifest } from './manifest.ts'
import { type FileName, MANIFEST, parseFileName } from './names.ts'
import { BLOCK_BYTES, readTarHeader, type TarEntry, tarPadding } from './tar.ts'

export interface ArchiveLimits {
  /** Parts are 64 MiB and the piece that reaches it. */
  maxFileBytes: number
  maxManifestBytes: number
}

const MIB = 1024 * 1024
const LIMITS: ArchiveLimits = { maxFileBytes: 128 * MIB, maxManifestBytes: 64 * MIB }

/** A file of an archive, whose content may be read any number of times. */
export interface OpenedFile extends FileName, ArchivedFile {
  read(): AsyncIterable<Buffer>
}

export interface Archive {
  manifest: Manifest
  /** In the order of the archive. */
  files: OpenedFile[]
}

interface Located extends TarEntry {
  start: number
}

/**
 * Checks an archive wholly: names, sizes and checksums of its files against its manifest.
 * @param onFile called after each file that is checked
 * @throws AppError `validation_failed` when it is cut off, changed, or not what `team:export` writes
 */
export async function openArchive(
  source: SourceFile,
  { limits = LIMITS, onFile }: { limits?: ArchiveLimits; onFile?: (position: number) => void } = {},
): Promise<Archive> {
  const entries = await locateEntries(source, limits)
  const manifest = await manifestOf(source, entries.pop())
  if (manifest.files.length !== entries.length) {
    throw refusal(`the archive has ${entries.length} files, and its manifest names ${manifest.files.length}`)
  }
  const files: OpenedFile[] = []
  for (const [index, entry] of entries.entries()) {
    const file = openedFile(source, entry, manifest.files[index]!)
    await checkContent(file)
    files.push(file)
    onFile?.(entry.start + entry.bytes)
  }
  requireOrder(files)
  return { manifest, files }
}

/** Reads the blocks before the files, and skips the files. */
async function locateEntries(source: SourceFile, limits: ArchiveLimits): Promise<Located[]> {
  const entries: Located[] = []
  const names = new Set<string>()
  for (let at = 0; ; ) {
    const block = await bytesAt(source, at, BLOCK_BYTES)
    const entry = readTarHeader(block)
    if (!entry) break
    checkEntry(entry, names, limits)
    names.add(entry.name)
    entries.push({ ...entry, start: at + BLOCK_BYTES })
    at += BLOCK_BYTES + entry.bytes + tarPadding(entry.bytes).length
  }
  return entries
}

function checkEntry({ name, bytes }: TarEntry, names: Set<string>, limits: ArchiveLimits): void {
  const isManifest = name === MANIFEST
  if (!isManifest && !parseFileName(name)) {
    throw refusal(`the archive has a file that team:export does not write: ${JSON.stringify(name)}`)
  }
  if (names.has(name)) throw refusal(`the archive has ${name} twice`)
  if (names.has(MANIFEST)) throw refusal('the archive goes on behind its manifest')
  const most = isManifest ? limits.maxManifestBytes : limits.maxFileBytes
  if (bytes > most) throw refusal(`${name} in the archive is larger than ${Math.floor(most / MIB)} MiB`)
}

async function manifestOf(source: SourceFile, entry: Located | undefined): Promise<Manifest> {
  if (entry?.name !== MANIFEST) throw cutOff()
  return readManifest((await bytesAt(source, entry.start, entry.bytes)).toString())
}

const cutOff = () => refusal('the archive is cut off: it has no manifest; export or copy it again')

async function bytesAt(source: SourceFile, start: number, count: number): Promise<Buffer> {
  if (start + count > source.bytes) throw cutOff()
  const chunks: Buffer[] = []
  for await (const chunk of source.read(start, start + count)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function openedFile(source: SourceFile, { start, bytes, name }: Located, listed: ArchivedFile): OpenedFile {
  if (listed.name !== name || listed.bytes !== bytes) {
    throw refusal(
      `the manifest of the archive names ${listed.name}, ${listed.bytes} bytes, where ${name}, ${bytes} bytes, is`,
    )
  }
  return { ...listed, ...parseFileName(name)!, read: () => source.read(start, start + bytes) }
}

async function checkContent({ name, bytes, sha256, read }: OpenedFile): Promise<void> {
  const hash = createHash('sha256')
  let found = 0
  for await (const chunk of read()) {
    hash.update(chunk)
    found += chunk.length
  }
  if (found !== bytes || hash.digest('hex') !== sha256) {
    throw refusal(`${name} in the archive was changed: its checksum is another one than the manifest says`)
  }
}

/** Parts of a kind are read one after the other. */
function requireOrder(files: OpenedFile[]): void {
  const parts = new Map<string, number>()
  for (const { siteId, kind, part, name } of files) {
    const key = `${siteId}/${kind}`
    if (part !== (parts.get(key) ?? 0) + 1)
      throw refusal(`the parts of ${name} in the archive are not in order`)
    parts.set(key, part)
  }
}
