-- tool: dishes_with
-- describe: Dishes that need an ingredient and are ready within some minutes.
-- param ingredient: name of Ingredient = "Leek": which ingredient
-- param minutes: int ?= 60: longest time
SELECT TOP 20 r.Number, r.Title, r.Minutes
FROM Recipe AS r, NEEDS AS n, Ingredient AS i
WHERE MATCH(r-(n)->i) AND i.Id = @ingredient AND r.Minutes <= @minutes
ORDER BY r.Minutes, r.Number
