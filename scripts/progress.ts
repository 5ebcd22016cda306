import { SingleBar } from 'cli-progress'

export interface Progress {
  /** @param done 0 to 1 @param note text beside the bar */
  part(done: number, note?: string): void
  end(): void
}

/**
 * Shows a progress bar on stderr when that is a terminal.
 * @param say told of each tenth where there is no terminal
 */
export function showProgress(what: string, say?: (text: string) => void): Progress {
  if (!process.stderr.isTTY) {
    let said = 0
    return {
      part(done) {
        const tenths = Math.floor(done * 10)
        if (tenths > said) say?.(`${what}: ${tenths * 10} %`)
        said = Math.max(said, tenths)
      },
      end() {},
    }
  }
  const bar = new SingleBar({
    stream: process.stderr,
    format: `${what} [{bar}] {percentage}% {note}`,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
  })
  bar.start(1, 0, { note: '' })
  return {
    part: (done, note = '') => bar.update(Math.min(done, 1), { note }),
    end: () => bar.stop(),
  }
}

/** Returns the seconds since `startedAt`, rounded to milliseconds. */
export const secondsSince = (startedAt: number) => Math.round(performance.now() - startedAt) / 1000
