import type { Random } from '../random.ts'

/** A person who has an account of the made-up product. */
export interface Person {
  /** Id in the product: what `identify` is called with. */
  id: string
  name: string
  email: string
  company: string
  role: string
}

const list = (text: string) => text.trim().split(/\s*,\s*/)

const FIRST_NAMES = list(`
  Ada, Amara, Anna, Aylin, Ben, Camille, Carlos, Chiara, Daniel, Diego, Elena, Emil, Emma, Fatima, Felix, Freya, Grace, Hana, Hugo,
  Ines, Isaac, Ivan, Jana, Jonas, Julia, Kenji, Lars, Laura, Leila, Leo, Lina, Luca, Maja, Marta, Mateo, Maya, Mia, Nadia, Nils, Noah,
  Nora, Oliver, Olivia, Omar, Paula, Priya, Rafael, Ravi, Robin, Rosa, Samir, Sara, Sofia, Theo, Tomas, Vera, Wei, Yuki, Zoe, Arjun`)
const LAST_NAMES = list(`
  Adeyemi, Andersson, Bauer, Becker, Bianchi, Brown, Carter, Castro, Chen, Clarke, Costa, Davies, Dubois, Eriksen, Evans, Fischer,
  Garcia, Haddad, Hansen, Hoffmann, Ito, Jansen, Johansson, Kaya, Keller, Khan, Kim, Kowalski, Kumar, Larsen, Lopez, Martin, Meyer,
  Moreau, Murphy, Nakamura, Nguyen, Novak, Okafor, Patel, Petrov, Reyes, Ricci, Rossi, Santos, Schmidt, Sharma, Silva, Smith, Tanaka,
  Taylor, Turner, Virtanen, Wagner, Walker, Weber, Wilson, Wright, Yilmaz, Zimmermann`)
const COMPANIES = list(`
  Harbor Health, Northbank, Openlab, Brightside Studio, Cobalt Systems, Juniper Labs, Lighthouse Insurance, Mosaic Learning, Orchard
  Foods, Paper Plane, Quiet Hours, Redwood Legal, Saltwater, Summit Outdoor, Tandem Bikes, Underground Books, Vela Energy, Wavelength,
  Yellow Door, Zephyr Travel, Acorn Finance, Blue Kettle, Common Ground, Daylight Design, Evergreen Rail, Fable Games, Granite
  Works, Homestead, Inkwell Press, Kite Mobility`).map(name => name.replace(/\s+/g, ' '))
const ROLES = ['researcher', 'designer', 'product manager', 'founder', 'engineer']

/** Creates the function that makes up one person after the other; each has an e-mail address of their own. */
export function createPeople(random: Random): () => Person {
  let count = 0
  return () => {
    count += 1
    const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)]
    const company = random.pick(COMPANIES)
    const host = `${company.toLowerCase().replaceAll(' ', '-')}.example`
    return {
      id: `user_${1_000 + count}`,
      name: `${first} ${last}`,
      email: `${first}.${last}.${count}@${host}`.toLowerCase(),
      company,
      role: random.pick(ROLES),
    }
  }
}
