/** The order in which teams have their turn: the one whose latest turn is longest ago comes first. */
export interface TeamTurns {
  /**
   * Chooses what is done next, which is then the turn of its team.
   * @param waiting in the order in which they come within a team, and among teams that had no turn yet
   * @returns undefined when nothing waits
   */
  next<Item extends { teamId: string }>(waiting: readonly Item[]): Item | undefined
  /** Yields all items in turns of their teams. One that is not asked for has had no turn. */
  each<Item extends { teamId: string }>(waiting: readonly Item[]): Generator<Item>
}

/** Remembers the turns of teams in memory: a process that has just begun takes what waits in its order. */
export function createTeamTurns(): TeamTurns {
  const latest = new Map<string, number>()
  let turns = 0
  const turnOf = ({ teamId }: { teamId: string }) => latest.get(teamId) ?? 0

  function next<Item extends { teamId: string }>(waiting: readonly Item[]): Item | undefined {
    let chosen: Item | undefined
    for (const item of waiting) if (!chosen || turnOf(item) < turnOf(chosen)) chosen = item
    if (chosen) latest.set(chosen.teamId, ++turns)
    return chosen
  }

  return {
    next,
    *each(waiting) {
      const left = [...waiting]
      for (let item = next(left); item; item = next(left)) {
        left.splice(left.indexOf(item), 1)
        yield item
      }
    },
  }
}
