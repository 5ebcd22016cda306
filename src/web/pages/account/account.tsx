import { Empty } from '../../parts/states.tsx'

export default function Account() {
  return <Empty />
}
