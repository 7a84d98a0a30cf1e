// One instance for each place on a page: Streamlit calls a component again with every change, while its elements stay.

const instances = new WeakMap();

function instance(element, create) {
  if (!instances.has(element)) instances.set(element, create(element));
  return instances.get(element);
}
