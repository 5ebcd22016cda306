import type { EnrichedHit } from '../hit.ts'
import { readAgent } from './user-agent.ts'

/** Sets `size` from the payload, else the user agent, else the width of the screen, else `desktop`. */
export function classifySize(hit: EnrichedHit): void {
  hit.size = hit.device ?? (readAgent(hit.userAgent).size || sizeOfScreen(hit.screenWidth))
}

/** Treats a width of 0 as unknown. */
function sizeOfScreen(width: number | undefined): EnrichedHit['size'] {
  if (!width) return 'desktop'
  if (width < 576) return 'mobile'
  return width < 992 ? 'tablet' : 'desktop'
}
