import { Empty } from '../../parts/states.tsx'

export default function Team() {
  return <Empty />
}
