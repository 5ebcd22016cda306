/** What the page says to the frame that plays recordings. Times are milliseconds from the first event of the recording. */
export type ToFrame =
  /** `of` is the number of the recording, which the frame then names in what it says. */
  | {
      kind: 'show'
      of: number
      events: unknown[]
      at: number
      isPlaying: boolean
      speed: number
      skip: boolean
    }
  | { kind: 'seek'; at: number; isPlaying: boolean }
  | { kind: 'set'; speed: number; skip: boolean }

/** What the frame says to its page: that it takes messages from now on, and then what happens in a recording. */
export type FromFrame = { kind: 'ready' } | (OfRecording & { of: number })

export type OfRecording =
  | { kind: 'time'; at: number }
  /** Of the recorded page, in pixels. */
  | { kind: 'size'; width: number; height: number }
  | { kind: 'skipping'; isSkipping: boolean }
  | { kind: 'end' }
  /** Something in it cannot be played. */
  | { kind: 'damaged' }
