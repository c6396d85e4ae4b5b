// Named here and nowhere in the import map: whoever starts the service doesn't install it.
export { PNG } from "npm:pngjs@7.0.0";
