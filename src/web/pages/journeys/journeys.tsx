import { Empty } from '../../parts/states.tsx'

export default function Journeys() {
  return <Empty />
}
