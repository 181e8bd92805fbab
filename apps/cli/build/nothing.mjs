/** Stands in for a module that the bundle never uses. */
export default {}
