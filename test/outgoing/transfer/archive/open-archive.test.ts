import { expect, test } from 'vitest'
import { fileNameOf, parseFileName } from '../../../../src/outgoing/transfer/archive/names.ts'
import { type ArchiveLimits, openArchive } from '../../../../src/outgoing/transfer/archive/open-archive.ts'
import { fileOf, textOf } from '../read/source.ts'
import { archiveOf, HITS, manifestOf, SETTINGS, SITE, tarOf } from './support.ts'

const FILES: [string, string][] = [
  [SETTINGS, '{"domain":"shop.example"}\n'],
  [HITS, '{"a":1}\n{"a":2}\n'],
]

const open = (bytes: Buffer, limits?: ArchiveLimits) =>
  openArchive(fileOf(bytes, 'team.tar'), limits ? { limits } : {})

test('open: files may be read by name, any number of times', async () => {
  const { manifest, files } = await open(archiveOf(FILES))
  expect(manifest.sites).toEqual([{ id: SITE, domain: 'shop.example', number: 1 }])
  expect(files.map(({ kind, part, rows }) => ({ kind, part, rows }))).toEqual([
    { kind: 'settings', part: 1, rows: 1 },
    { kind: 'hits', part: 1, rows: 2 },
  ])
  for (let time = 0; time < 2; time++) expect(await textOf(files[1]!.read())).toBe(FILES[1]![1])
})

test('open: cut off anywhere, an archive is refused', async () => {
  const whole = archiveOf(FILES)
  for (let bytes = 0; bytes < whole.length - 1024; bytes += 333)
    await expect(open(whole.subarray(0, bytes)), `${bytes} bytes`).rejects.toThrow(/cut off/)
})

test('open: a changed byte of a file or a header is found', async () => {
  const whole = archiveOf(FILES)
  for (const [at, reason] of [
    [whole.indexOf('{"a":2}') + 5, /hits-0001.jsonl in the archive was changed/],
    [10, /not a tar file, or it was changed/],
    [whole.indexOf('"format"') + 9, /not valid|newer version/],
  ] as const) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 1
    await expect(open(changed)).rejects.toThrow(reason)
  }
})

test('open: a name that the export does not write is refused', async () => {
  const ofSite = ['hits-1', 'hits-00001', 'users-0001'].map(name => `sites/${SITE}/${name}.jsonl`)
  const elsewhere = ['../outside-0001.jsonl', '/etc/passwd', `sites/${SITE}/../${SITE}/hits-0001.jsonl`]
  for (const name of [
    ...ofSite,
    ...elsewhere,
    'sites/shop.example/hits-0001.jsonl',
    'team/hits-0001.jsonl',
  ]) {
    await expect(open(archiveOf([[name, 'x\n']])), name).rejects.toThrow(/does not write/)
  }
})

test('names: one that is made is read', () => {
  for (const name of [
    { siteId: null, kind: 'users', part: 1 },
    { siteId: SITE, kind: 'service-events', part: 12_345 },
  ] as const) {
    expect(parseFileName(fileNameOf(name))).toEqual(name)
  }
})

test('open: what is no archive, incomplete, out of order, too large or newer is refused', async () => {
  const [settings, hits] = FILES as [[string, string], [string, string]]
  const manifest: [string, string] = ['manifest.json', manifestOf(FILES)]
  const second: [string, string] = [HITS.replace('0001', '0002'), 'x\n']
  const limits = { maxFileBytes: 10, maxManifestBytes: 10_000 }
  const cases: [archive: Buffer, reason: RegExp, limits?: ArchiveLimits][] = [
    [tarOf([settings, manifest]), /has 1 files, and its manifest names 2/],
    [tarOf([hits, settings, manifest]), /manifest of the archive names/],
    [tarOf([hits, hits, manifest]), /twice/],
    [tarOf([settings, manifest, hits]), /behind its manifest/],
    [archiveOf([second]), /not in order/],
    [archiveOf(FILES), /is larger than/, limits],
    [archiveOf([]), /larger/, { ...limits, maxManifestBytes: 10 }],
    [Buffer.alloc(2_000, 'PK'), /not a tar file/],
    [archiveOf(FILES, { format: 2 }), /newer version/],
    [archiveOf(FILES, { team: null }), /not valid/],
    [tarOf([['manifest.json', '{']]), /not JSON/],
  ]
  for (const [archive, reason, given] of cases) await expect(open(archive, given)).rejects.toThrow(reason)
})

test('open: links and other kinds of entries are refused', async () => {
  const link = archiveOf(FILES)
  link[156] = 0x32
  link.write('        ', 148)
  const sum = link.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  link.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  await expect(open(link)).rejects.toThrow(/kind that team:export does not write/)
})
