# evtree in R. Arguments as in protocol.py: data, population, generations, repeats, seconds.
suppressPackageStartupMessages(library(evtree))

arguments <- commandArgs(trailingOnly = TRUE)
table <- read.csv(arguments[1], header = FALSE)
names(table)[ncol(table)] <- "class"
table$class <- factor(table$class)
repeats <- as.integer(arguments[4])
budget <- as.numeric(arguments[5])

run <- function(population, generations) {
  evtree(class ~ ., data = table, control = evtree.control(ntrees = population, niterations = generations, seed = 1L))
}

invisible(run(10L, 1L))
seconds <- c()
while (length(seconds) < repeats && sum(seconds) < budget) {
  taken <- system.time(tree <- run(as.integer(arguments[2]), as.integer(arguments[3])))
  seconds <- c(seconds, taken[["elapsed"]])
}
accuracy <- mean(predict(tree, table) == table$class)
evaluations <- as.integer(arguments[2]) * (as.integer(arguments[3]) + 1L)  # one change per tree and iteration
cat(sprintf('{"evaluations": %d, "accuracy": %.6f, "seconds": [%s]}\n',
            evaluations, accuracy, paste(format(seconds, digits = 6), collapse = ", ")))
