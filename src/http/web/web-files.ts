import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { projectRoot } from '../../platform/config/config.ts'
import { AppError } from '../../platform/errors.ts'
import { type Asset, createAsset } from '../assets/asset.ts'

export const webFolder = join(projectRoot, 'dist', 'web')

/** Names of the files that pages begin with. */
interface Manifest {
  theme: string
  script: string
  preload: string[]
  style: string
  replayFrame: string
}

/** @throws Error when the interface has not been built */
export function readManifest(): Manifest {
  const path = join(webFolder, 'manifest.json')
  if (!existsSync(path)) throw new Error(`${path} is missing: build it with \`node scripts/build.js\``)
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

/** Files have a hash of their content in their name. */
const FOREVER = 'public, max-age=31536000, immutable'
const NAME = /^[\w-]+-[A-Z0-9]{8}\.(js|css)$/

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/**
 * Creates the handler of the scripts and styles of the web interface. A file is read at its first request: while workers are
 * replaced after an update, those from before serve the new files, too.
 */
export function createWebFiles(folder: string = webFolder): RequestHandler {
  const files = new Map<string, Asset>()
  return (req, res) => {
    const name = String(req.params.file)
    const file = files.get(name) ?? readFile(folder, name)
    if (!file) throw new AppError('not_found', 'No such route')
    files.set(name, file)
    file.serve(req, res)
  }
}

function readFile(folder: string, name: string): Asset | undefined {
  const [, extension] = NAME.exec(name) ?? []
  const path = join(folder, name)
  if (!extension || !existsSync(path)) return undefined
  const compressed = { br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`) }
  return createAsset(readFileSync(path), TYPES[extension]!, FOREVER, compressed)
}
