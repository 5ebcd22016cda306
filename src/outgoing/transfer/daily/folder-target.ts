import { copyFile, mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Target } from './target.ts'

/** Puts files in a folder; it may be on another disk. */
export function folderTarget(folder: string): Target {
  return {
    async put(name, file) {
      const path = join(folder, name)
      const part = `${path}.part`
      await mkdir(dirname(path), { recursive: true })
      await copyFile(file, part)
      await sync(part)
      await rename(part, path)
      await sync(dirname(path))
    },
  }
}

/** Waits until a file or folder is on the disk: its day is not written again. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
