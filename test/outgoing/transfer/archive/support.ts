import { createHash } from 'node:crypto'
import type { Manifest } from '../../../../src/outgoing/transfer/archive/manifest.ts'
import { TAR_END, tarHeader, tarPadding } from '../../../../src/outgoing/transfer/archive/tar.ts'

export const SITE = '00000000-0000-4000-8000-0000000000aa'
export const SETTINGS = `sites/${SITE}/settings-0001.jsonl`
export const HITS = `sites/${SITE}/hits-0001.jsonl`

const AT = new Date('2026-03-18T12:00:00Z')

const block = (name: string, text: string): Buffer => {
  const content = Buffer.from(text)
  return Buffer.concat([tarHeader({ name, bytes: content.length }, AT), content, tarPadding(content.length)])
}

export const tarOf = (files: [name: string, text: string][]): Buffer =>
  Buffer.concat([...files.map(([name, text]) => block(name, text)), TAR_END])

export function manifestOf(files: [name: string, text: string][], more: object = {}): string {
  const manifest: Manifest = {
    format: 1,
    product_version: '1.0.0',
    exported_at: AT.toISOString(),
    team: { id: SITE, name: 'Team', plan: 'active', trial_ends_at: null },
    sites: [{ id: SITE, domain: 'shop.example', number: 1 }],
    files: files.map(([name, text]) => ({
      name,
      rows: text.split('\n').length - 1,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
  }
  return JSON.stringify({ ...manifest, ...more })
}

/** An archive with these files and their manifest. */
export const archiveOf = (files: [name: string, text: string][], more: object = {}): Buffer =>
  tarOf([...files, ['manifest.json', manifestOf(files, more)]])
