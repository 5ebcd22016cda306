import { Card } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { GoalPicker } from './goal-picker.tsx'
import { PersonList } from './person-list.tsx'
import { ReplayList, SessionList } from './session-list.tsx'

const TABS = ['visitors', 'users', 'sessions', 'replays'] as const
type Tab = (typeof TABS)[number]

/** Who came, and what they did: visitors, identified users, single visits, and those that were recorded. */
export default function People() {
  const { common, people } = useText()
  const { params, change } = useAddress()
  const { input } = useQuestion()
  const { isMember } = useSite()
  // Readers of a share see no recordings.
  const tabs = TABS.filter(name => name !== 'replays' || isMember)
  const tab = tabs.find(name => name === params.get('tab')) ?? 'visitors'
  const listOf = (name: Tab) =>
    name === 'sessions' || name === 'replays'
      ? { path: `stats/${name}`, query: input }
      : { path: 'stats/people', query: { ...input, kind: name } }
  const choose = (name: Tab) =>
    change({ tab: name === 'visitors' ? null : name, page: null, search: null, sort: null })
  return (
    <>
      <h1 className="only-read">{common.nav.people}</h1>
      <GoalPicker />
      <Card>
        <Tabs
          label={common.nav.people}
          tabs={tabs.map(name => ({ name, label: people.tabs[name] }))}
          value={tab}
          onChange={choose}
          action={<CsvButton {...listOf(tab)} name={tab} />}
        >
          {tab === 'replays' ? (
            <ReplayList />
          ) : tab === 'sessions' ? (
            <SessionList />
          ) : (
            <PersonList kind={tab} />
          )}
        </Tabs>
      </Card>
    </>
  )
}
