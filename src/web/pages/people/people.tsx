import { Card } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/lists/csv-button.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { GoalPicker } from './goal-picker.tsx'
import { PersonList } from './person-list.tsx'
import { SessionList } from './session-list.tsx'

const TABS = ['visitors', 'users', 'sessions'] as const
type Tab = (typeof TABS)[number]

/** Who came, and what they did: visitors, identified users, and single visits. */
export default function People() {
  const { common, people } = useText()
  const { params, change } = useAddress()
  const { input } = useQuestion()
  const { mayExport } = useSite()
  const tab = TABS.find(name => name === params.get('tab')) ?? 'visitors'
  const listOf = (name: Tab) =>
    name === 'sessions'
      ? { path: 'stats/sessions', query: input }
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
          tabs={TABS.map(name => ({ name, label: people.tabs[name] }))}
          value={tab}
          onChange={choose}
          action={mayExport && <CsvButton {...listOf(tab)} name={tab} />}
        >
          {tab === 'sessions' ? <SessionList /> : <PersonList kind={tab} />}
        </Tabs>
      </Card>
    </>
  )
}
