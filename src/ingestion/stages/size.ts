import type { EnrichedHit } from '../hit.ts'
import { readAgent } from './user-agent.ts'

/** Sets `size`: what the payload says, else the user agent, else the width of the screen, else `desktop`. */
export function classifySize(hit: EnrichedHit): void {
  hit.size = hit.device ?? (readAgent(hit.userAgent).size || sizeOfScreen(hit.screenWidth))
}

/** A width of 0 is a screen that nobody measured. */
function sizeOfScreen(width: number | undefined): EnrichedHit['size'] {
  if (!width) return 'desktop'
  if (width < 576) return 'mobile'
  return width < 992 ? 'tablet' : 'desktop'
}
